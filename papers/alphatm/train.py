"""`python -m papers.alphatm.train`: AlphaZero on the game and with the network of AlphaTM."""

import sys

import papers.alphatm  # noqa: F401 - adds the network and the preset
from train.alphazero import main

if __name__ == "__main__":
    sys.argv[1:1] = ["--game=terra_mystica_alphatm"]
    main()
