/** Atom (RFC 4287). */
import type { FeedWriter } from "./FeedWriter.ts"
import { document, element, type Xml } from "./Xml.ts"

const when = (condition: boolean, xml: () => Xml): ReadonlyArray<Xml> => (condition ? [xml()] : [])

const type = "application/atom+xml"

export const atom: FeedWriter = {
  contentType: `${type}; charset=utf-8`,
  entry: ({ address, author, content, createdAt, name, summary, tags, title, updatedAt }) =>
    element("entry", {}, [
      element("id", {}, name),
      element("title", {}, title),
      element("link", { rel: "alternate", type: "text/html", href: address }),
      element("published", {}, createdAt),
      element("updated", {}, updatedAt),
      element("author", {}, [element("name", {}, author.name), element("uri", {}, author.address)]),
      ...tags.map((tag) => element("category", { term: tag })),
      ...when(summary !== "", () => element("summary", {}, summary)),
      ...(content === undefined ? [] : [element("content", { type: "html" }, content)])
    ]).xml,
  feed: ({ address, description, name, self, title, updatedAt }, entries) =>
    document(
      element("feed", { xmlns: "http://www.w3.org/2005/Atom" }, [
        element("id", {}, name),
        element("title", {}, title),
        ...when(description !== "", () => element("subtitle", {}, description)),
        element("link", { rel: "self", type, href: self }),
        element("link", { rel: "alternate", type: "text/html", href: address }),
        element("updated", {}, updatedAt),
        ...entries.map((xml) => ({ xml }))
      ])
    )
}
