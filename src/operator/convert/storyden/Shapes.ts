/**
 * What is read of the answers of a service. Services of this contract may leave out what is optional and have more than
 * is named here.
 */
import { Schema } from "effect"

const maybe = <S extends Schema.Constraint>(field: S) => Schema.optional(Schema.NullOr(field))

const Id = Schema.String.check(Schema.isPattern(/^[0-9a-v]{20}$/u))

const Text = Schema.String

const Ref = Schema.Struct({ id: Id })

/** A person whom something names. */
export const ProfileRef = Ref

const Meta = Schema.Record(Schema.String, Schema.Json)

const Visibility = Schema.Literals(["draft", "unlisted", "review", "published"])

const resource = { id: Id, createdAt: Text, updatedAt: maybe(Text), deletedAt: maybe(Text) }

export const Info = Schema.Struct({
  title: Text,
  web_address: maybe(Text),
  api_address: maybe(Text)
})

export const Page = Schema.Struct({ results: maybe(Schema.Int), next_page: maybe(Schema.Int) })

export const Role = Schema.Struct({
  ...resource,
  name: Text,
  colour: maybe(Text),
  permissions: maybe(Schema.Array(Text)),
  meta: maybe(Meta)
})

/** In lists, tags have no id. */
export const TagName = Schema.Struct({ name: Text })

export const Tag = Schema.Struct({ id: Id, name: Text })

const Tags = maybe(Schema.Array(TagName))

export const Own = Schema.Struct({ handle: Text, admin: Schema.Boolean })

export const Account = Schema.Struct({
  ...resource,
  suspended: maybe(Text),
  handle: Text,
  name: maybe(Text),
  bio: maybe(Text),
  signature: maybe(Text),
  links: maybe(Schema.Array(Schema.Struct({ text: Text, url: Text }))),
  meta: maybe(Meta),
  verified_status: maybe(Schema.Literals(["none", "verified_email", "manual"])),
  kind: maybe(Schema.Literals(["human", "bot"])),
  admin: maybe(Schema.Boolean),
  roles: maybe(Schema.Array(Schema.Struct({ id: Id, badge: maybe(Schema.Boolean) }))),
  email_addresses: maybe(
    Schema.Array(Schema.Struct({ id: Id, email_address: Text, verified: maybe(Schema.Boolean) }))
  ),
  invited_by: maybe(Ref)
})

export const Profile = Schema.Struct({ interests: Tags, following: maybe(Schema.Int) })

/** A file that something names. */
export const Asset = Schema.Struct({
  id: Id,
  filename: Text,
  mime_type: maybe(Text),
  width: maybe(Schema.Number),
  height: maybe(Schema.Number),
  parent: maybe(Ref)
})

export const Avatar = Schema.Struct({ mime_type: Text })

const Assets = maybe(Schema.Array(Asset))

export const Category = Schema.Struct({
  ...resource,
  name: Text,
  slug: Text,
  description: maybe(Text),
  colour: maybe(Text),
  sort: maybe(Schema.Int),
  parent: maybe(Id),
  cover_image: maybe(Asset),
  meta: maybe(Meta)
})

export const Children = Schema.Struct({ children: maybe(Schema.Array(Schema.Unknown)) })

export const Link = Schema.Struct({
  ...resource,
  url: Text,
  slug: Text,
  title: maybe(Text),
  description: maybe(Text),
  favicon_image: maybe(Asset),
  primary_image: maybe(Asset)
})

const post = {
  ...resource,
  author: Ref,
  visibility: Visibility,
  body: maybe(Text),
  body_links: maybe(Schema.Array(Ref)),
  assets: Assets,
  reacts: maybe(Schema.Array(Schema.Struct({ id: Id, emoji: Text, author: Ref }))),
  likes: maybe(Schema.Struct({ likes: Schema.Int })),
  meta: maybe(Meta)
}

export const Thread = Schema.Struct({
  ...post,
  title: Text,
  slug: Text,
  pinned: maybe(Schema.Int),
  category: maybe(Ref),
  link: maybe(Ref),
  tags: Tags
})

export const Replies = Schema.Struct({
  replies: Schema.Struct({ ...Page.fields, replies: maybe(Schema.Array(Schema.Unknown)) })
})

export const Reply = Schema.Struct({ ...post, reply_to: maybe(Ref) })

/** What is enough of a thing to ask for it. */
export const Named = Schema.Struct({ id: Id, slug: maybe(Text) })

export const Like = Schema.Struct({ id: Id, created_at: maybe(Text), owner: Ref })

export const Likes = Schema.Struct({ likes: maybe(Schema.Array(Schema.Unknown)) })

export const Collection = Schema.Struct({
  ...resource,
  name: Text,
  slug: Text,
  description: maybe(Text),
  owner: Ref
})

export const Items = Schema.Struct({ items: maybe(Schema.Array(Schema.Unknown)) })

export const Item = Schema.Struct({
  added_at: maybe(Text),
  membership_type: maybe(Schema.Literals(["normal", "submission_review", "submission_accepted"])),
  item: Schema.Struct({ kind: Text, ref: Ref })
})

export const Event = Schema.Struct({
  ...resource,
  name: Text,
  slug: Text,
  description: maybe(Text),
  time_range: Schema.Struct({ start: Text, end: Text }),
  primary_image: maybe(Asset),
  participants: maybe(
    Schema.Array(
      Schema.Struct({
        profile: Ref,
        role: Schema.Literals(["attendee", "host"]),
        status: Schema.Literals(["requested", "invited", "attending", "declined"])
      })
    )
  ),
  participation_policy: maybe(Schema.Literals(["open", "closed", "invite_only"])),
  visibility: Visibility,
  location: maybe(Meta),
  capacity: maybe(Schema.Int),
  meta: maybe(Meta),
  thread: Ref
})

const Field = Schema.Struct({
  fid: Id,
  name: Text,
  type: Schema.Literals(["text", "number", "timestamp", "boolean"]),
  sort: maybe(Text)
})

export const Node = Schema.Struct({
  ...resource,
  name: Text,
  slug: Text,
  description: maybe(Text),
  content: maybe(Text),
  owner: Ref,
  parent: maybe(Ref),
  hide_child_tree: maybe(Schema.Boolean),
  visibility: Visibility,
  link: maybe(Ref),
  primary_image: maybe(Asset),
  assets: Assets,
  tags: Tags,
  meta: maybe(Meta),
  properties: maybe(Schema.Array(Schema.Struct({ ...Field.fields, value: maybe(Text) }))),
  child_property_schema: maybe(Schema.Array(Field))
})
