(display "never printed" (car
