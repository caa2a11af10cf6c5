/** RSS 2.0, with the contents and names of authors in the elements that readers know for them. */
import type { FeedWriter } from "./FeedWriter.ts"
import { document, element } from "./Xml.ts"

const namespaces = {
  "xmlns:atom": "http://www.w3.org/2005/Atom",
  "xmlns:content": "http://purl.org/rss/1.0/modules/content/",
  "xmlns:dc": "http://purl.org/dc/elements/1.1/"
}

const type = "application/rss+xml"

/** An instant in the form of mails. */
const dateOf = (instant: string) => new Date(instant).toUTCString()

export const rss: FeedWriter = {
  contentType: `${type}; charset=utf-8`,
  entry: ({ address, author, content, createdAt, name, summary, tags, title }) =>
    element("item", {}, [
      element("title", {}, title),
      element("link", {}, address),
      element("guid", { isPermaLink: "false" }, name),
      element("pubDate", {}, dateOf(createdAt)),
      element("dc:creator", {}, author.name),
      ...tags.map((tag) => element("category", {}, tag)),
      element("description", {}, summary),
      ...(content === undefined ? [] : [element("content:encoded", {}, content)])
    ]).xml,
  feed: ({ address, description, self, title, updatedAt }, entries) =>
    document(
      element("rss", { version: "2.0", ...namespaces }, [
        element("channel", {}, [
          element("title", {}, title),
          element("link", {}, address),
          element("description", {}, description === "" ? title : description),
          element("lastBuildDate", {}, dateOf(updatedAt)),
          element("atom:link", { rel: "self", type, href: self }),
          ...entries.map((xml) => ({ xml }))
        ])
      ])
    )
}
