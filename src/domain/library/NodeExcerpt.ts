/** Pages where they are not shown by themselves. Pure. */
import type { Node } from "./Node.ts"
import type { ShownNode } from "./NodeReader.ts"

/** The page without what it contains and what contains it. */
export const aloneNode = ({ parentId: _, ...shown }: ShownNode): Node => ({ ...shown, children: [] })

/** The page as a list shows it in brief: without content, link, files, tags, metadata and properties, which may be long. */
export const shortenedNode = ({ content: _, link: __, ...node }: Node): Node => ({
  ...node,
  assets: [],
  tags: [],
  meta: {},
  properties: [],
  child_property_schema: []
})
