/** What people may do with categories. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { CategoryId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../shared/Transaction.ts"
import { CategoryNotFound, CategorySlugEmpty, type NewCategory, slugOfName } from "./Category.ts"
import { CategoryStore } from "./CategoryStore.ts"

const make = Effect.gen(function* () {
  const store = yield* CategoryStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids

  const get = Effect.fn("Categories.get")(function* (slug: string) {
    const found = yield* store.findBySlug(slug)
    if (Option.isNone(found)) return yield* new CategoryNotFound({ metadata: { category_slug: slug } })
    return found.value
  })

  const create = Effect.fn("Categories.create")(function* (input: NewCategory) {
    const actor = yield* CurrentAccount
    const slug = input.slug ?? slugOfName(input.name)
    if (slug === "") return yield* new CategorySlugEmpty({ metadata: { name: input.name } })
    const id = CategoryId.make(yield* ids.next)
    const at = yield* DateTime.now
    return yield* transaction(
      Effect.gen(function* () {
        if (input.parent !== undefined) yield* store.checkForUse("parent", input.parent)
        const category = yield* store.insert({
          id,
          at,
          name: input.name,
          slug,
          description: input.description,
          colour: input.colour,
          parent: input.parent,
          meta: input.meta ?? {}
        })
        yield* events.append(actor.accountId, { _tag: "CategoryUpdated", id, slug })
        return category
      })
    )
  })

  return { list: store.list, get, create } as const
})

export class Categories extends Context.Service<Categories, Effect.Success<typeof make>>()(
  "forum/domain/Categories"
) {
  static readonly layer = Layer.effect(Categories, make)
}
