/** The byte that ends a line. */
export const lineFeed = 10

/** How many of them there are. */
export const lineFeedsIn = (bytes: Uint8Array): number => {
  let count = 0
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count += 1
  return count
}
