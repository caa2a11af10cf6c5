/** JSON Feed 1.1. */
import type { FeedEntry } from "../../domain/feed/Feed.ts"
import { unclosed } from "../bytes/JsonText.ts"
import type { FeedWriter } from "./FeedWriter.ts"

/** An item has a content, so that what has no room for its own shows its summary as one. */
const contentOf = ({ content, summary }: FeedEntry) =>
  content === undefined ? { content_text: summary } : { content_html: content }

export const jsonFeed: FeedWriter = {
  contentType: "application/feed+json; charset=utf-8",
  entry: (entry) => {
    const { address, author, createdAt, image, name, summary, tags, title, updatedAt } = entry
    return JSON.stringify({
      id: name,
      url: address,
      title,
      ...contentOf(entry),
      summary,
      ...(image === undefined ? {} : { image }),
      date_published: createdAt,
      date_modified: updatedAt,
      authors: [{ name: author.name, url: author.address, avatar: author.avatar }],
      tags
    })
  },
  feed: ({ address, description, self, title }, entries) =>
    `${unclosed({
      version: "https://jsonfeed.org/version/1.1",
      title,
      home_page_url: address,
      feed_url: self,
      ...(description === "" ? {} : { description })
    })},"items":[${entries.join(",")}]}`
}
