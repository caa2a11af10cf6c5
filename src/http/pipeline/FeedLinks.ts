/** Says in the header `Link` of lists which feeds and calendars follow them, by which programs find these (RFC 8288). */
import { Effect } from "effect"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import { addLinks } from "./LinkHeader.ts"

const feedTypes = {
  atom: "application/atom+xml",
  rss: "application/rss+xml",
  json: "application/feed+json"
}

export const makeFeedLinks = Effect.map(Deployment, ({ publicUrl }) => {
  const root = `${addressOf(publicUrl)}/api/feeds`
  const linkTo = (address: string, type: string) => `<${root}${address}>; rel="alternate"; type="${type}"`

  return {
    /** Names the three formats of a feed, narrowed by what is given. */
    feeds: (path: string, query: Readonly<Record<string, string | undefined>> = {}) => {
      const given = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) if (value !== undefined) given.append(name, value)
      const narrowed = given.size === 0 ? "" : `?${given}`
      const links = Object.entries(feedTypes)
        .map(([format, type]) => linkTo(`${path}.${format}${narrowed}`, type))
        .join(", ")
      return addLinks(() => links)
    },
    /** Names a calendar. */
    calendar: (path: string) => addLinks(() => linkTo(path, "text/calendar"))
  } as const
})
