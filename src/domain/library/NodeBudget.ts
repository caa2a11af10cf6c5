/** How much of nodes the list of all shows beside what has room on any page, so that its text stays within some MiB. */

/** Bytes of descriptions. */
export const describedMax = 8 * 1024 * 1024

/** Bytes of the nodes that contain those of a flat list, each of which shows its own. */
export const parentsMax = 4 * 1024 * 1024
