/** Reads the library: its pages with their properties. */
import type { Wanting } from "./Assets.ts"
import { Named, Node } from "./Shapes.ts"
import { eachThing, pagesOf, placeOf, rowsIn, type Walk, walkList } from "./Walking.ts"

const visibilities = ["draft", "unlisted", "review", "published"]
  .map((name) => `visibility=${name}`)
  .join("&")

export const readLibrary = async (walk: Walk, wanting: Wanting) => {
  const { service, things } = walk

  const expect = (row: unknown, place: number): boolean => {
    const node = things.decode("nodes", Named, row)
    return node !== undefined && things.expect("nodes", node.id, { parent: node.slug ?? node.id, place })
  }

  /** What a page contains that shows nothing of it in lists. */
  const readHidden = async (slug: string) => {
    for await (const { answer, page } of pagesOf(service, `/api/nodes/${encodeURIComponent(slug)}/children`))
      for (const [index, row] of rowsIn(answer, "nodes").entries()) expect(row, placeOf(page, index))
  }

  await walkList(walk, {
    name: "pages of the library",
    path: `/api/nodes?format=flat&${visibilities}`,
    rows: "nodes",
    take: expect
  })
  await eachThing(walk, "nodes", "pages of the library", async ({ id, parent: slug }) => {
    const node = things.decode(
      "nodes",
      Node,
      await service.json(`/api/nodes/${encodeURIComponent(slug)}`),
      id
    )
    if (node === undefined) return
    if (node.hide_child_tree === true) await readHidden(slug)
    wanting.text(node.content)
    wanting.asset(node.primary_image)
    wanting.assets(node.assets)
    if (node.link) things.expect("linked", node.link.id)
    things.fill("nodes", id, node)
  })
}
