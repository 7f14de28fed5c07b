"""Numbers of parameters of the layers that actors and critic share, at full size."""


def normalised_conv(inputs, outputs):
    return 9 * inputs * outputs + 4 * outputs  # scale, bias, running mean and variance


def dense(inputs, outputs):
    return (inputs + 1) * outputs


CONVOLUTIONS = normalised_conv(10, 64) + normalised_conv(64, 128)
PREPROCESS = CONVOLUTIONS + dense(10, 10) + dense(138, 256) + dense(256, 256)
