"""TD(lambda) learning of afterstate values: `python -m train.afterstates --game=terra_mystica`."""
