/** About how many bytes of an answer a page takes in full: a column that triggers keep. */
export const nodeSize = (node: string) => `${node}.weight`
