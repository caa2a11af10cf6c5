import type { CurrentStandings } from "../../../src/domain/change/Audience.ts"

/** Where nothing is, and nobody administers. */
export const nothing: CurrentStandings = {
  posts: new Map(),
  nodes: new Map(),
  versions: new Map(),
  calendarEvents: new Map(),
  administrators: new Set()
}
