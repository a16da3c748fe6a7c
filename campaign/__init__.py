"""Attacks on the project, drawn by a seed and bounded: kills, wrong bytes, hostile files, load.

    python -m campaign [SECTION ...] --cases N --seed S --minutes M

Each section is a module with a function that makes its cases. What a run found is kept in
campaign/records, a file for each section that nothing changes afterwards; docs/reliability.md is
computed from these. Nothing imports this package.
"""
