(display no-such-thing)
