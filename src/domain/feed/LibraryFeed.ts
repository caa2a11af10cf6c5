/** The feed of the library. */
import { Context, Effect, Layer } from "effect"
import { nodePartNames } from "../library/NodeOmission.ts"
import { type ListedNode, type NewestNode, NodeQueries } from "../library/NodeQueries.ts"
import { Callers } from "../session/Callers.ts"
import { Deployment } from "../settings/Deployment.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { absoluteContent } from "./AbsoluteContent.ts"
import { entriesMax, type FeedEntry, type FeedHead, type FeedView } from "./Feed.ts"
import { makeAsGuest } from "./FeedReader.ts"
import { wholeOnes } from "./FeedRules.ts"
import { authorOf, type Places } from "./PostEntries.ts"
import { namesAt, webPages } from "./WebPages.ts"

const allParts = nodePartNames.length
/** How many parts a node has up to its tags, without all that is long. */
const withoutContent = nodePartNames.indexOf("tags") + 1

const entryOf = (node: ListedNode, isWhole: boolean, places: Places): FeedEntry => {
  const address = places.pages.node(node.slug)
  return {
    name: places.names.tag(`page/${node.id}`),
    title: node.name,
    address,
    createdAt: node.createdAt,
    updatedAt: node.updatedAt,
    author: authorOf(node.owner, places),
    summary: node.description ?? "",
    content: isWhole ? absoluteContent(node.content ?? "", address, places.pages) : undefined,
    tags: (node.tags ?? []).map(({ name }) => name),
    image: node.primary_image && places.pages.file(node.primary_image.path)
  }
}

const make = Effect.gen(function* () {
  const queries = yield* NodeQueries
  const settings = yield* InstanceSettings
  const deployment = yield* Deployment
  const { asGuestWith } = yield* makeAsGuest
  const pages = webPages(deployment)
  const places = { pages, names: namesAt(deployment) }

  const entriesOf = Effect.fnUntraced(function* (found: ReadonlyArray<NewestNode>) {
    const whole = wholeOnes(found.map(({ size }) => size))
    const parts = new Map(
      found.map(({ id }, place) => [id, whole[place] === true ? allParts : withoutContent])
    )
    const nodes = yield* queries.listed([...parts].map(([id, wanted]) => ({ id, parts: wanted })))
    // What was withdrawn since it was found is left out.
    return nodes
      .filter(({ visibility }) => visibility === "published")
      .map((node) => entryOf(node, parts.get(node.id) === allParts, places))
  })

  const newest = Effect.gen(function* () {
    const { description, title } = yield* settings.general
    const head = {
      name: places.names.tag("library"),
      title,
      description,
      address: pages.library
    } satisfies FeedHead
    const found = yield* queries.newest(entriesMax)
    return {
      version: [...Object.values(head), ...found.map(({ id, version }) => `${id}.${version}`)],
      feed: Effect.map(entriesOf(found), (entries) => ({ ...head, entries }))
    } satisfies FeedView<never>
  })

  return {
    /** The published pages that changed last, as guests find them. */
    pages: Effect.fn("LibraryFeed.pages")(() => asGuestWith("READ_PUBLISHED_LIBRARY", newest))
  } as const
})

export class LibraryFeed extends Context.Service<LibraryFeed, Effect.Success<typeof make>>()(
  "forum/domain/LibraryFeed"
) {
  static readonly layer = Layer.effect(LibraryFeed, make).pipe(
    Layer.provide(Layer.merge(Callers.layer, InstanceSettings.layer))
  )
}
