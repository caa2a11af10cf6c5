import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { onePage, withExample } from "../field/Example.ts"
import { JsonObject } from "../field/Json.ts"
import { resourceFields, Timestamp } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { NodeInPart } from "../library/Node.ts"
import { CollectionId, Id } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { PostInPart } from "../thread/Post.ts"
import { collection, collectionWithItems, newCollection } from "./CollectionExamples.ts"

/** How many collections an account may have. */
export const collectionsMax = 1000

/** How many items a collection may have: as many as an answer of about 2 MiB can show briefly, whatever they are. */
export const itemsMax = 500

/** How many submissions may await the owner of a collection: apart from its items, so that strangers cannot fill it. */
export const submissionsMax = 100

/** Submissions of one account that await the owner, so that it cannot keep others from submitting. */
export const submissionsByOneMax = 20

/** Characters of the part of a slug that follows the id. */
export const slugLength = 100

const collectionFields = {
  id: CollectionId,
  ...resourceFields,
  name: Schema.String.annotate({ description: "The name; others may have the same" }),
  slug: Schema.String.annotate({
    description:
      "The name in addresses: `<id>-<words of the name>`. What follows the id changes with the name."
  }),
  description: Schema.optionalKey(Schema.String.annotate({ description: "What belongs in it" })),
  owner: ProfileReference
}

export const Collection = Schema.Struct({
  ...collectionFields,
  item_count: Schema.Int.annotate({
    description:
      "The number of items that the caller would find in it: for its owner and administrators also submissions that await the owner, for others also those of what they made themselves"
  }),
  has_queried_item: Schema.Boolean.annotate({ description: "Whether it contains the item of `has_item`" })
})
  .annotate({
    identifier: "Collection",
    description: "Posts and library pages that an account has put together"
  })
  .pipe(withExample(collection))
export interface Collection extends Schema.Schema.Type<typeof Collection> {}

export const MembershipType = Schema.Literals([
  "normal",
  "submission_review",
  "submission_accepted"
]).annotate({
  identifier: "CollectionItemMembershipType",
  description:
    "`normal` if the owner of the collection added it; otherwise it was submitted, and awaits the owner or was accepted"
})
export type MembershipType = typeof MembershipType.Type

const CollectedPost = Schema.Struct({ kind: Schema.Literal("post"), ref: PostInPart }).annotate({
  identifier: "CollectedPost",
  description: "A thread or reply in a collection"
})

const CollectedNode = Schema.Struct({ kind: Schema.Literal("node"), ref: NodeInPart }).annotate({
  identifier: "CollectedNode",
  description: "A page of the library in a collection"
})

export const CollectionItem = Schema.Struct({
  id: Id.annotate({ description: "The id of the item itself" }),
  ...resourceFields,
  misc: JsonObject.annotateKey({ description: "As that of the post or page" }),
  owner: ProfileReference.annotateKey({ description: "The author of the post or the owner of the page" }),
  added_at: Timestamp.annotateKey({ description: "When it was added or submitted" }),
  membership_type: MembershipType,
  item: Schema.Union([CollectedPost, CollectedNode])
}).annotate({ identifier: "CollectionItem", description: "Something in a collection" })
export interface CollectionItem extends Schema.Schema.Type<typeof CollectionItem> {}

export const CollectionWithItems = Schema.Struct({
  ...collectionFields,
  items: Schema.Array(CollectionItem).annotate({
    description:
      "Those that the caller may see, most recently added first. They take about 2 MiB at most. Where not all fits, the last ones lack `body` and `body_links`, or `content`, `link` and `assets`, first; if that is not enough, `properties` and `child_property_schema`, then `tags` and `reacts`, then `meta`, then the `description` of pages. What an item lacks has no key, and `misc.omitted` names it. Of such items, people have no signatures."
  })
})
  .annotate({ identifier: "CollectionWithItems", description: "A collection with what is in it" })
  .pipe(withExample(collectionWithItems))
export interface CollectionWithItems extends Schema.Schema.Type<typeof CollectionWithItems> {}

export const CollectionListResult = Schema.Struct({ ...PageFields, collections: Schema.Array(Collection) })
  .annotate({ identifier: "CollectionListResult", description: "A page of collections, newest first" })
  .pipe(withExample({ ...onePage, collections: [collection] }))
export interface CollectionListResult extends Schema.Schema.Type<typeof CollectionListResult> {}

const nameLength = 255
const descriptionLength = 2000

const Name = Text.visibleLine({
  max: nameLength,
  description: "Not blank. Others may have the same.",
  examples: ["Worth keeping"]
})

const Description = Text.lines({
  max: descriptionLength,
  description: "What belongs in it. A blank one counts as none."
})

const Slug = Text.verbatim({ max: 2000, description: "Accepted and ignored: the slug is made from the name" })

export const NewCollection = Schema.Struct({
  name: Name,
  description: Schema.optionalKey(Description),
  slug: Schema.optionalKey(Slug)
})
  .annotate({ identifier: "CollectionInitialProps", description: "A collection to create" })
  .pipe(withExample(newCollection))
export interface NewCollection extends Schema.Schema.Type<typeof NewCollection> {}

export const CollectionChanges = Schema.Struct({
  name: Schema.optionalKey(Name),
  description: Schema.optionalKey(Description),
  slug: Schema.optionalKey(Slug)
})
  .annotate({
    identifier: "CollectionMutableProps",
    description: "What to change of a collection; absent fields stay as they are"
  })
  .pipe(withExample({ description: newCollection.description }))
export interface CollectionChanges extends Schema.Schema.Type<typeof CollectionChanges> {}

export class CollectionNotFound extends Problem<CollectionNotFound>()("CollectionNotFound", {
  status: 404,
  title: "There is no such collection",
  explanation:
    "A collection is addressed by its id, by its slug, which begins with the id, or by the part of the slug after the id; the oldest collection with that part is meant then.",
  metadata: { collection_mark: Schema.String }
}) {}

export class CollectionNotYours extends Problem<CollectionNotYours>()("CollectionNotYours", {
  status: 403,
  title: "Only its owner and staff may change this collection",
  explanation:
    "The collection belongs to another account, and the caller's roles do not hold MANAGE_COLLECTIONS. Others may submit posts and pages to it, and withdraw what they have submitted until its owner accepts it."
}) {}

export class TooManyCollections extends Problem<TooManyCollections>()("TooManyCollections", {
  status: 409,
  title: "This account has too many collections",
  explanation: `An account may have ${collectionsMax.toLocaleString("en")} collections. Delete one to create another.`,
  metadata: { maximum: Schema.Int }
}) {}

export class CollectionFull extends Problem<CollectionFull>()("CollectionFull", {
  status: 409,
  title: "This collection has no room for another item",
  explanation: `A collection may have ${itemsMax} items.`,
  metadata: { maximum: Schema.Int }
}) {}

export class TooManySubmissions extends Problem<TooManySubmissions>()("TooManySubmissions", {
  status: 409,
  title: "Too many submissions await the owner of this collection",
  explanation: `${submissionsMax} submissions may await the owner of a collection, ${submissionsByOneMax} of them by the same account. Withdraw one, or wait until the owner has accepted or removed some.`,
  metadata: { maximum: Schema.Int }
}) {}
