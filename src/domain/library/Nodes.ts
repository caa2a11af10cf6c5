/** What people may do with pages of the library. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AssetStore } from "../asset/AssetStore.ts"
import { AssetUnknown } from "../asset/AssetUnknown.ts"
import { EventLog } from "../event/EventLog.ts"
import { checkAddress, type LinkInvalid } from "../link/Link.ts"
import type { LinkAddress } from "../link/LinkAddress.ts"
import { LinkStore } from "../link/LinkStore.ts"
import { CurrentAccount, checkPermission } from "../shared/Actor.ts"
import { type AssetId, NodeId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { slugWithin } from "../shared/Slug.ts"
import { Transaction } from "../shared/Transaction.ts"
import { nameLength } from "./LibraryLimits.ts"
import { type NewNode, NodeNotFound } from "./Node.ts"
import { decideEvents } from "./NodeEvents.ts"
import { NodeSlugEmpty } from "./NodeProblems.ts"
import { NodeStates } from "./NodeStates.ts"
import { NodeStore } from "./NodeStore.ts"
import { makeNodeText } from "./NodeText.ts"
import { PropertyEdits } from "./PropertyEdits.ts"

const checkLink = (url: string | undefined): Effect.Effect<LinkAddress | undefined, LinkInvalid> =>
  url === undefined ? Effect.undefined : checkAddress("url", url)

/** The slug that is given, or one made from the name; an empty one counts as none. */
const slugFor = ({ name, slug }: Pick<NewNode, "name" | "slug">): Effect.Effect<string, NodeSlugEmpty> => {
  if (slug !== undefined && slug !== "") return Effect.succeed(slug)
  const made = slugWithin(name, nameLength)
  return made === "" ? Effect.fail(new NodeSlugEmpty({ metadata: { name } })) : Effect.succeed(made)
}

const make = Effect.gen(function* () {
  const states = yield* NodeStates
  const store = yield* NodeStore
  const properties = yield* PropertyEdits
  const assets = yield* AssetStore
  const links = yield* LinkStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const readText = yield* makeNodeText

  const find = Effect.fnUntraced(function* (mark: string) {
    const found = yield* states.find(mark)
    return Option.isNone(found) ? yield* new NodeNotFound({ metadata: { node_slug: mark } }) : found.value
  })

  /** Assets are never deleted, so that this holds until the page is written. */
  const checkAssets = Effect.fnUntraced(function* (field: string, wanted: ReadonlyArray<AssetId>) {
    if (wanted.length === 0) return
    const found = yield* assets.findByIds(wanted)
    const id = wanted.find((asset) => !found.has(asset))
    if (id !== undefined) return yield* new AssetUnknown({ metadata: { field, id } })
  })

  /** Answers the id of the page. */
  const create = Effect.fn("Nodes.create")(function* (input: NewNode) {
    const actor = yield* CurrentAccount
    const visibility = input.visibility ?? "draft"
    if (visibility === "published") yield* checkPermission(actor, "MANAGE_LIBRARY")
    const slug = yield* slugFor(input)
    const link = yield* checkLink(input.url)
    const text = input.content === undefined ? undefined : yield* readText(input.content)
    const parent = input.parent === undefined ? undefined : yield* find(input.parent)
    const image = input.primary_image_asset_id
    yield* checkAssets("primary_image_asset_id", image === undefined ? [] : [image])
    yield* checkAssets("asset_ids", input.asset_ids ?? [])
    const id = NodeId.make(yield* ids.next)
    const at = yield* DateTime.now
    const node = {
      id,
      slug,
      name: input.name,
      ownerId: actor.accountId,
      visibility,
      parentId: parent?.id,
      currentVersionId: undefined,
      hasDraft: false
    }
    const writing = Effect.gen(function* () {
      yield* states.lockGroup(node.parentId)
      yield* store.insert({
        ...node,
        at,
        description: text?.description ?? input.description ?? "",
        content: text?.content,
        hideChildTree: input.hide_child_tree ?? false,
        meta: input.meta ?? {},
        primaryImageId: image
      })
      if (input.properties !== undefined) {
        yield* properties.replace(actor, node, input.properties, true)
      }
      yield* store.addAssets(id, input.asset_ids ?? [], at)
      if (link !== undefined) yield* store.update(id, { linkId: yield* links.resolve(link, at) }, at)
      if (input.tags !== undefined) yield* store.setTags(node, input.tags, at)
      yield* events.append(actor.accountId, ...decideEvents(node, undefined))
    })
    yield* transaction(writing)
    return id
  })

  return { create } as const
})

export class Nodes extends Context.Service<Nodes, Effect.Success<typeof make>>()("forum/domain/Nodes") {
  static readonly layer = Layer.effect(Nodes, make)
}
