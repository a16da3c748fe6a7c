"""What a run on Wikipedia will take: disk, memory and hours by stage, before it is begun."""
