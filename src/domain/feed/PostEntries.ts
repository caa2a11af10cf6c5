/** Threads and replies as entries of feeds. Pure. */
import type { ProfileReference } from "../account/Profile.ts"
import type { ReplyContent, ThreadReferenceContent } from "../thread/ThreadContent.ts"
import { absoluteContent } from "./AbsoluteContent.ts"
import type { FeedAuthor, FeedEntry } from "./Feed.ts"
import type { namesAt, WebPages } from "./WebPages.ts"

/** How entries are named and where what they show is. */
export interface Places {
  readonly pages: WebPages
  readonly names: ReturnType<typeof namesAt>
}

export const authorOf = ({ handle, name }: ProfileReference, { pages }: Places): FeedAuthor => ({
  name: name === "" ? handle : name,
  address: pages.profile(handle),
  avatar: pages.avatar(handle)
})

/** A thread, with its text or without. */
export const threadEntry = (
  { author, shared }: ThreadReferenceContent,
  isWhole: boolean,
  places: Places
): FeedEntry => {
  const address = places.pages.thread(shared.slug)
  return {
    name: places.names.tag(`thread/${shared.id}`),
    title: shared.title,
    address,
    createdAt: shared.createdAt,
    updatedAt: shared.updatedAt,
    author: authorOf(author, places),
    summary: shared.description,
    content: isWhole ? absoluteContent(shared.body, address, places.pages) : undefined,
    tags: [
      ...(shared.category === undefined ? [] : [shared.category.name]),
      ...shared.tags.map(({ name }) => name)
    ],
    image: undefined
  }
}

export const replyEntry = ({ author, shared }: ReplyContent, places: Places): FeedEntry => ({
  name: places.names.tag(`reply/${shared.id}`),
  title: `Re: ${shared.title}`,
  address: places.pages.reply(shared.root_slug, shared.id),
  createdAt: shared.createdAt,
  updatedAt: shared.updatedAt,
  author: authorOf(author, places),
  summary: shared.description,
  content: absoluteContent(shared.body, places.pages.thread(shared.root_slug), places.pages),
  tags: [],
  image: undefined
})
