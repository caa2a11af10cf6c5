/** What becomes of threads, replies and what people think of them. */

import { Result, Schema } from "effect"
import { EventLocation } from "../../../domain/calendar/Location.ts"
import {
  Collection,
  CollectionItem,
  Event,
  Like,
  Participant,
  Reaction,
  ReadMark,
  Reply,
  Thread
} from "../../../domain/exchange/Discussion.ts"
import { toEmoji } from "../../../domain/reaction/Reaction.ts"
import { PostId } from "../../../domain/shared/Id.ts"
import { searchForm } from "../../../domain/text/SearchText.ts"
import { markupLengthMax } from "../../../domain/thread/PostText.ts"
import { threadSlug } from "../../../domain/thread/ThreadRules.ts"
import { tagsMax } from "../../../domain/vocabulary/Tag.ts"
import { bodyForms, slugForm, titleForms } from "../../../persistence/search/SearchForms.ts"
import { type Kind, kindOf } from "./Kind.ts"
import { noneIfEmpty, type Read, readMarkup } from "./Markup.ts"
import type { Notes } from "./Repair.ts"

const mentionsMax = 50

/** What the service keeps of the text of a post. */
const textColumns = "description search_body pieces text_links:jsonb mentions:jsonb"

const textOf = ({ analysis, document }: Read) => {
  const { body, pieces } = bodyForms(document)
  const mentions = analysis.references.flatMap(({ id, kind }) => (kind === "profile" ? [id] : []))
  return {
    body: document,
    description: analysis.description,
    search_body: body ?? "",
    pieces: pieces === "" ? undefined : (pieces ?? undefined),
    text_links: noneIfEmpty(analysis.links),
    mentions: noneIfEmpty(mentions.slice(0, mentionsMax))
  }
}

const visibility = { visibility: "published", meta: {} }

const hasTitle = (title: string) => title.trim() !== ""

const threadOf = (thread: typeof Thread.Type, notes: Notes) => {
  const title = hasTitle(thread.title) || thread.visibility === "draft" ? thread.title : "…"
  if (title !== thread.title) notes.repaired("invalid", "title")
  const slug = thread.slug === "" ? threadSlug(PostId.make(thread.id), title) : thread.slug
  const forms = titleForms(title)
  return {
    ...textOf(readMarkup(thread.body, markupLengthMax.thread, "body", notes)),
    title,
    slug,
    search_title: forms.title ?? "",
    beginnings: forms.beginnings ?? "",
    search_slug: slugForm(slug) ?? ""
  }
}

export const threads = kindOf({
  record: Thread,
  columns: `id created_at:timestamptz updated_at:timestamptz deleted_at:timestamptz author_id category_id link_id visibility
    pinned:int title slug body meta:jsonb tag_ids:jsonb search_title beginnings search_slug ${textColumns}`,
  repairs: {
    lengths: { title: 255, slug: 255 },
    counts: { tag_ids: tagsMax },
    oneLine: ["title", "slug"],
    defaults: { ...visibility, pinned: 0, title: "", slug: "", body: "", tag_ids: [] }
  },
  derive: threadOf
})

export const replies = kindOf({
  record: Reply,
  columns: `id created_at:timestamptz updated_at:timestamptz deleted_at:timestamptz thread_id reply_to_id author_id visibility
    published_at:timestamptz told:boolean body meta:jsonb ${textColumns}`,
  repairs: { defaults: { ...visibility, body: "" } },
  derive: (reply, notes) => textOf(readMarkup(reply.body, markupLengthMax.reply, "body", notes))
})

export const likes = kindOf({ record: Like, columns: "id created_at:timestamptz post_id account_id" })

const reacts = kindOf({ record: Reaction, columns: "id created_at:timestamptz post_id account_id emoji" })

export const reactions: Kind = {
  ...reacts,
  read: (record, notes) =>
    Result.flatMap(reacts.read(record, notes), (row) => {
      const emoji = toEmoji(String(row.emoji))
      return emoji === undefined ? Result.fail("no emoji") : Result.succeed({ ...row, emoji })
    })
}

export const read_marks = kindOf({
  record: ReadMark,
  columns: "account_id thread_id read_at:timestamptz last_reply_id"
})

export const collections = kindOf({
  record: Collection,
  columns: "id created_at:timestamptz updated_at:timestamptz owner_id name slug description",
  repairs: {
    lengths: { name: 255, slug: 100, description: 2000 },
    oneLine: ["name"],
    defaults: { name: "…", slug: "" }
  }
})

export const collection_items = kindOf({
  record: CollectionItem,
  columns: "id collection_id added_by added_at:timestamptz membership_type post_id node_id",
  repairs: { defaults: { membership_type: "normal" } }
})

const isLocation = Schema.is(EventLocation)

const locationOf = (location: object | undefined, notes: Notes) => {
  if (location === undefined || isLocation(location)) return location
  notes.repaired("invalid", "location")
  return undefined
}

export const events = kindOf({
  record: Event,
  columns: `id created_at:timestamptz updated_at:timestamptz deleted_at:timestamptz thread_id name slug description
    starts_at:timestamptz ends_at:timestamptz primary_image_id policy visibility location:jsonb capacity:int meta:jsonb search`,
  repairs: {
    lengths: { name: 255, slug: 255 },
    oneLine: ["name"],
    defaults: { ...visibility, name: "…", description: "", policy: "open" }
  },
  derive: ({ description, location, name }, notes) => ({
    location: locationOf(location, notes),
    search: `${searchForm(name)}\n${searchForm(description)}`
  })
})

export const participants = kindOf({
  record: Participant,
  columns: "event_id account_id created_at:timestamptz updated_at:timestamptz role status"
})
