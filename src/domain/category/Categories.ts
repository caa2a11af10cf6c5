/** What people may do with categories. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AssetStore } from "../asset/AssetStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { type AssetId, CategoryId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import {
  type CategoryChanges,
  CategoryNotFound,
  type CategoryPosition,
  type CategoryRemoval,
  CategorySlugEmpty,
  type NewCategory,
  slugFor,
  withSlug
} from "./Category.ts"
import { decideAddition, decidePlaces, decideRemoval, placesOfOrphans, type Tree } from "./CategoryRules.ts"
import { CategoryStore, type CategoryUpdate } from "./CategoryStore.ts"
import { CategoryCoverUnknown } from "./CategoryTree.ts"

const notFound = (slug: string) => new CategoryNotFound({ metadata: { category_slug: slug } })

/** The category of a slug, in the tree that is locked. */
const getInTree = (tree: Tree, slug: string) => {
  const node = tree.find((node) => node.slug === slug)
  return node === undefined ? Effect.fail(notFound(slug)) : Effect.succeed(node)
}

/** The events that the children of a category have moved to the top level. */
const leftBy = (tree: Tree, { id: parent }: Tree[number]) =>
  tree.flatMap(({ id, parent: above, slug }) =>
    above === parent ? [{ _tag: "CategoryUpdated", id, slug } as const] : []
  )

/** The queue in which all changes of the tree wait for each other, whichever part they change. */
const treeQueue = "categories"

const make = Effect.gen(function* () {
  const store = yield* CategoryStore
  const assets = yield* AssetStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const ids = yield* Ids

  const get = Effect.fn("Categories.get")(function* (slug: string) {
    const found = yield* store.findBySlug(slug)
    return Option.isNone(found) ? yield* notFound(slug) : found.value
  })

  /** A category as it is once a change of it has been kept. */
  const changed = Effect.fnUntraced(function* (id: CategoryId, slug: string) {
    const found = yield* store.findById(id)
    return Option.isNone(found) ? yield* notFound(slug) : found.value
  })

  const inTree = <A, E, R>(writes: (tree: Tree) => Effect.Effect<A, E, R>) =>
    queue(treeQueue, transaction(Effect.flatMap(store.lockTree, writes)))

  const checkCover = Effect.fnUntraced(function* (id: AssetId | null | undefined) {
    if (id === undefined || id === null || (yield* assets.findByIds([id])).has(id)) return
    return yield* new CategoryCoverUnknown({ metadata: { cover_image_asset_id: id } })
  })

  const create = Effect.fn("Categories.create")(function* (input: NewCategory) {
    const actor = yield* CurrentAccount
    const slug = slugFor(input)
    if (slug === "") return yield* new CategorySlugEmpty({ metadata: { name: input.name } })
    yield* checkCover(input.cover_image_asset_id)
    const id = CategoryId.make(yield* ids.next)
    const at = yield* DateTime.now
    const creation = Effect.fnUntraced(function* (tree: Tree) {
      yield* Effect.fromResult(decideAddition(tree, input.parent))
      yield* store.insert({
        id,
        at,
        name: input.name,
        slug,
        description: input.description,
        colour: input.colour,
        parent: input.parent,
        coverId: input.cover_image_asset_id,
        meta: input.meta ?? {}
      })
      yield* events.append(actor.accountId, { _tag: "CategoryUpdated", id, slug })
    })
    yield* inTree(creation)
    return yield* changed(id, slug)
  })

  const update = Effect.fn("Categories.update")(function* (slug: string, sent: CategoryChanges) {
    const actor = yield* CurrentAccount
    const { cover_image_asset_id: coverId, ...input } = withSlug(sent)
    const changes: CategoryUpdate = { ...input, ...(coverId === undefined ? {} : { coverId }) }
    const writing = Effect.fnUntraced(function* (tree: Tree) {
      const node = yield* getInTree(tree, slug)
      yield* checkCover(coverId)
      const after = { id: node.id, slug: changes.slug ?? node.slug }
      if (Object.keys(changes).length === 0) return after
      yield* store.update(node, changes, yield* DateTime.now)
      yield* events.append(actor.accountId, { _tag: "CategoryUpdated", ...after })
      return after
    })
    const after = yield* inTree(writing)
    return yield* changed(after.id, after.slug)
  })

  /** Moves a category in the tree. Answers all categories. */
  const move = Effect.fn("Categories.move")(function* (slug: string, position: CategoryPosition) {
    const actor = yield* CurrentAccount
    const moving = Effect.fnUntraced(function* (tree: Tree) {
      const node = yield* getInTree(tree, slug)
      yield* store.place(yield* Effect.fromResult(decidePlaces(tree, node, position)), yield* DateTime.now)
      yield* events.append(actor.accountId, { _tag: "CategoryUpdated", id: node.id, slug })
    })
    yield* inTree(moving)
    return yield* store.list
  })

  /** Removes a category. Answers it as it was. */
  const remove = Effect.fn("Categories.remove")(function* (slug: string, { move_to }: CategoryRemoval) {
    const actor = yield* CurrentAccount
    const removal = Effect.fnUntraced(function* (tree: Tree) {
      const node = yield* getInTree(tree, slug)
      yield* Effect.fromResult(decideRemoval(tree, node, move_to))
      const deleted = yield* store.delete(node.id, move_to, placesOfOrphans(tree, node), yield* DateTime.now)
      const removed = { id: node.id, slug, moved_to: move_to }
      yield* events.append(actor.accountId, { _tag: "CategoryDeleted", ...removed }, ...leftBy(tree, node))
      return deleted
    })
    return yield* inTree(removal)
  })

  return { list: store.list, get, create, update, move, remove } as const
})

export class Categories extends Context.Service<Categories, Effect.Success<typeof make>>()(
  "forum/domain/Categories"
) {
  static readonly layer = Layer.effect(Categories, make)
}
