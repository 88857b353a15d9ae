# Writes a drawing of two thousand rectangles, as SVG.
BEGIN {
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"800\">"
  for (i = 0; i < 2000; i++)
    printf "<g><rect id=\"r%d\" x=\"%d\" y=\"%d\" width=\"9\" height=\"%d\" style=\"fill:#%06x\"/></g>\n",
      i, i * 37 % 800, i * 101 % 800, 5 + i % 40, i * 7919 % 16777216
  print "</svg>"
}
