/** Says in the header `Link` of lists which feeds and calendars follow them, by which programs find these (RFC 8288). */
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"

const feedTypes = {
  atom: "application/atom+xml",
  rss: "application/rss+xml",
  json: "application/feed+json"
}

/** Adds links to the response, beside what else it says there. */
const linking = (links: string) =>
  HttpEffect.appendPreResponseHandler((_, response) => {
    const { link } = response.headers
    return Effect.succeed(
      HttpServerResponse.setHeader(response, "link", link === undefined ? links : `${links}, ${link}`)
    )
  })

export const makeFeedLinks = Effect.map(Deployment, ({ publicUrl }) => {
  const root = `${addressOf(publicUrl)}/api/feeds`
  const linkTo = (address: string, type: string) => `<${root}${address}>; rel="alternate"; type="${type}"`

  return {
    /** Names the three formats of a feed, narrowed by what is given. */
    feeds: (path: string, query: Readonly<Record<string, string | undefined>> = {}) => {
      const given = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) if (value !== undefined) given.append(name, value)
      const narrowed = given.size === 0 ? "" : `?${given}`
      return linking(
        Object.entries(feedTypes)
          .map(([format, type]) => linkTo(`${path}.${format}${narrowed}`, type))
          .join(", ")
      )
    },
    /** Names a calendar. */
    calendar: (path: string) => linking(linkTo(path, "text/calendar"))
  } as const
})
