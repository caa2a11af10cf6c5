/** How much of nodes the list of all shows beside what has room on any page, so that its text stays within some MiB. */

/** How many bytes the descriptions of nodes may take in the list. */
export const describedMax = 8 * 1024 * 1024

/** How many bytes containing nodes may take in a flat list, where each node shows the one that contains it. */
export const parentsMax = 4 * 1024 * 1024
