/** Says in the header `Link` of lists which feeds and calendars follow them, by which programs find these (RFC 8288). */
import { Effect } from "effect"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import { addLinks } from "./LinkHeader.ts"

const feedTypes = {
  atom: "application/atom+xml",
  rss: "application/rss+xml",
  json: "application/feed+json"
}

type Narrowing = Readonly<Record<string, string | undefined>>

/** Where what follows the forum is: a feed or a calendar, narrowed by what is given of a query. */
export const feedAddress = (publicUrl: URL, file: string, query: Narrowing = {}): string => {
  const given = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
  return `${addressOf(publicUrl)}/api/feeds${file}${given.size === 0 ? "" : `?${given}`}`
}

export const makeFeedLinks = Effect.map(Deployment, ({ publicUrl }) => {
  const linkTo = (type: string, file: string, query?: Narrowing) =>
    `<${feedAddress(publicUrl, file, query)}>; rel="alternate"; type="${type}"`

  return {
    /** Names the three formats of a feed, narrowed by what is given. */
    feeds: (path: string, query: Narrowing = {}) => {
      const links = Object.entries(feedTypes)
        .map(([format, type]) => linkTo(type, `${path}.${format}`, query))
        .join(", ")
      return addLinks(() => links)
    },
    /** Names a calendar. */
    calendar: (file: string) => addLinks(() => linkTo("text/calendar", file))
  } as const
})
