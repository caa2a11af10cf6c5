/** What the library bounds. The database holds some of these as well; there a number changes by a migration only. */

/** Levels of nodes, the top one included. */
export const levelsMax = 64
/** Children that a node embeds; lists of children have so many on a page. */
export const childrenShown = 100
/** Nodes in one answer of the list of all. */
export const listedMax = 10_000
/** Fields of the properties that a group of siblings shares. */
export const fieldsMax = 100
/** How many fields a group may have by additions of those who do not own the fields: they leave room for the owner. */
export const fieldsSharedMax = 50
/** Values of properties that get fields of their own when the node that contains theirs is deleted. */
export const valuesMovedMax = 50_000
/** Characters of the name of a node, of its slug and of the name and sort key of a field. */
export const nameLength = 255
/** Characters of one value of a property. */
export const valueLength = 10_000
/** Characters of a description. */
export const descriptionLength = 2000
/** Files of one node. */
export const assetsMax = 200
/** Nodes that move when the one that contains them is deleted. */
export const childrenMovedMax = 10_000
/** Drafts of one account, so that it cannot keep all nodes from being changed. */
export const draftsMax = 1000
/** Versions and drafts on a page of their lists. */
export const versionsOnPage = 50
