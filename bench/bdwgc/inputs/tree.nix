# Lists, sets and strings that die young.
let
  range = builtins.genList (i: i);
  sum = builtins.foldl' (a: b: a + b) 0;
  tree = depth: if depth == 0 then { size = 1; } else
    let left = tree (depth - 1); right = tree (depth - 1);
    in { inherit left right; size = left.size + right.size + 1; };
  words = map (i: "word${toString i}") (range 20000);
  groups = builtins.groupBy (w: builtins.substring 4 2 w) words;
in {
  sum = sum (range 200000);
  tree = sum (map (i: (tree 12).size) (range 30));
  groups = builtins.length (builtins.attrNames groups);
  text = builtins.stringLength (builtins.concatStringsSep "," words);
}
