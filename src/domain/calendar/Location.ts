/** Where calendar events take place. */
import { Schema } from "effect"
import * as Text from "../field/Text.ts"
import { WebAddress } from "../field/WebAddress.ts"

const degrees = (most: number, description: string) =>
  Schema.Finite.check(Schema.isBetween({ minimum: -most, maximum: most })).annotate({ description })

const common = {
  name: Text.visibleLine({ max: 255, description: "What the place is called" }),
  url: Schema.optionalKey(WebAddress)
}

const EventLocationPhysical = Schema.Struct({
  location_type: Schema.Literal("physical"),
  ...common,
  address: Schema.optionalKey(Text.lines({ max: 1000, description: "The postal address" })),
  latitude: Schema.optionalKey(degrees(90, "Degrees north")),
  longitude: Schema.optionalKey(degrees(180, "Degrees east"))
}).annotate({ identifier: "EventLocationPhysical", description: "A place to go to" })

const EventLocationVirtual = Schema.Struct({
  location_type: Schema.Literal("virtual"),
  ...common
}).annotate({ identifier: "EventLocationVirtual", description: "A place on the network" })

export const EventLocation = Schema.Union([EventLocationPhysical, EventLocationVirtual]).annotate({
  identifier: "EventLocation",
  expected: "a location, whose location_type is physical or virtual",
  description: "Where an event takes place"
})
export type EventLocation = typeof EventLocation.Type

/** A location as it is shown: an address without text is none. */
export const shownLocation = (location: EventLocation): EventLocation => {
  if (location.location_type !== "physical" || location.address !== "") return location
  const { address: _, ...others } = location
  return others
}
