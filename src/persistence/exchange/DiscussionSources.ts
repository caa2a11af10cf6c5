/** Where the records of what people say are. */
import { array, byBytes, json, type Source, time, value } from "./RecordSql.ts"

export const threads: Source<"threads"> = {
  from: "threads t join posts p on p.id = t.id",
  order: [byBytes("t.id")],
  accounts: ["t.author_id"],
  fields: {
    id: value("t.id"),
    created_at: time("t.created_at"),
    updated_at: time("p.updated_at"),
    deleted_at: time("t.deleted_at"),
    author_id: value("t.author_id"),
    category_id: value("t.category_id"),
    link_id: value("t.link_id"),
    visibility: value("t.visibility"),
    pinned: value("t.pinned"),
    title: value("p.title"),
    slug: value("p.slug"),
    body: value("p.body"),
    meta: json("p.meta"),
    tag_ids: array(value("g.tag_id"), "thread_tags g where g.thread_id = t.id", [byBytes("g.tag_id")])
  }
}

export const replies: Source<"replies"> = {
  from: "posts p",
  where: "p.ordinal > 0",
  order: [byBytes("p.thread_id"), "p.ordinal"],
  accounts: ["p.author_id"],
  fields: {
    id: value("p.id"),
    created_at: time("p.created_at"),
    updated_at: time("p.updated_at"),
    deleted_at: time("p.deleted_at"),
    thread_id: value("p.thread_id"),
    reply_to_id: value("p.reply_to_id"),
    author_id: value("p.author_id"),
    visibility: value("p.visibility"),
    published_at: time("p.published_at"),
    told: "case when not p.told then 'false' end",
    body: value("p.body"),
    meta: json("p.meta")
  }
}

export const likes: Source<"likes"> = {
  from: "likes l",
  order: [byBytes("l.id")],
  accounts: ["l.account_id"],
  fields: {
    id: value("l.id"),
    created_at: time("l.created_at"),
    post_id: value("l.post_id"),
    account_id: value("l.account_id")
  }
}

export const reactions: Source<"reactions"> = {
  from: "reacts r",
  order: [byBytes("r.id")],
  accounts: ["r.account_id"],
  fields: {
    id: value("r.id"),
    created_at: time("r.created_at"),
    post_id: value("r.post_id"),
    account_id: value("r.account_id"),
    emoji: value("r.emoji")
  }
}

export const collections: Source<"collections"> = {
  from: "collections c",
  order: [byBytes("c.id")],
  accounts: ["c.owner_id"],
  fields: {
    id: value("c.id"),
    created_at: time("c.created_at"),
    updated_at: time("c.updated_at"),
    owner_id: value("c.owner_id"),
    name: value("c.name"),
    slug: value("c.slug"),
    description: value("c.description")
  }
}

export const collection_items: Source<"collection_items"> = {
  from: "collection_items i",
  order: [byBytes("i.id")],
  accounts: ["i.owner_id", "i.added_by"],
  fields: {
    id: value("i.id"),
    collection_id: value("i.collection_id"),
    added_by: value("i.added_by"),
    added_at: time("i.added_at"),
    membership_type: value("i.membership_type"),
    post_id: value("i.post_id"),
    node_id: value("i.node_id")
  }
}

export const events: Source<"events"> = {
  from: "calendar_events e join threads t on t.id = e.thread_id",
  order: [byBytes("e.id")],
  accounts: ["t.author_id"],
  fields: {
    id: value("e.id"),
    created_at: time("e.created_at"),
    updated_at: time("e.updated_at"),
    deleted_at: time("e.deleted_at"),
    thread_id: value("e.thread_id"),
    name: value("e.name"),
    slug: value("e.slug"),
    description: value("e.description"),
    starts_at: time("e.starts_at"),
    ends_at: time("e.ends_at"),
    primary_image_id: value("e.primary_image_id"),
    policy: value("e.policy"),
    visibility: value("e.visibility"),
    location: json("e.location"),
    capacity: value("e.capacity"),
    meta: json("e.meta")
  }
}

export const participants: Source<"participants"> = {
  from: "calendar_participants p",
  order: [byBytes("p.event_id"), byBytes("p.account_id")],
  accounts: ["p.account_id"],
  fields: {
    event_id: value("p.event_id"),
    account_id: value("p.account_id"),
    created_at: time("p.created_at"),
    updated_at: time("p.updated_at"),
    role: value("p.role"),
    status: value("p.status")
  }
}

export const read_marks: Source<"read_marks"> = {
  from: "read_marks m",
  order: [byBytes("m.account_id"), byBytes("m.thread_id")],
  accounts: ["m.account_id"],
  fields: {
    account_id: value("m.account_id"),
    thread_id: value("m.thread_id"),
    read_at: time("m.read_at"),
    last_reply_id: `(select ${value("p.id")} from posts p
      where p.thread_id = m.thread_id and p.ordinal between 1 and m.replies_read order by p.ordinal desc limit 1)`
  }
}
