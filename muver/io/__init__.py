"""Files written whole and read with a check, messages for people: what every room stands on."""
