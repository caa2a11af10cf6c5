/** Pages that are too long for the answer that shows them. Pure. */
import type { Node } from "./Node.ts"

/** The page as a list shows it in brief: without content, link, files, tags and metadata, which may be long. */
export const shortenedNode = ({ content: _, link: __, ...node }: Node): Node => ({
  ...node,
  assets: [],
  tags: [],
  meta: {}
})
