/** Which events of the log tell of the changes with a name. */
import type { ChangeName } from "./Changes.ts"

/** Events of the calendar are activities to others, to whom everything that happens is an event. */
const tagOf = (name: ChangeName): string => name.replace(/^Event/, "").replace(/^Activity/, "CalendarEvent")

/** The tags of the events that tell of changes with these names. */
export const tagsOfChanges = (names: ReadonlyArray<ChangeName>): ReadonlyArray<string> => names.map(tagOf)
