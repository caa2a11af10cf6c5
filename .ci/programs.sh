# For scripts that run programs of the documentation, from a directory of their own; `root` is the checkout.

# The nth program in this language of a page: shown sh 2 docs/clients.md
shown() {
  awk -v fence="\`\`\`$1" -v wanted="$2" '
    $0 == fence { n++; inside = n == wanted; next }
    /^```$/ { inside = 0 }
    inside' "$root/$3"
}

# What a program printed, in a file of its name, has to contain each of these: expect curl 304 '"path":"title"'
expect() {
  name=$1
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$name.out" || { echo "$name printed no \"$text\":"; cat "$name.out"; exit 1; }
  done
  echo "$name works"
}
