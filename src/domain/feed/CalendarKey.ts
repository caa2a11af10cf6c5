/** The secret address of the calendar of an account. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import { secretText } from "../field/SecretText.ts"
import { Problem } from "../shared/Problem.ts"
import { calendarAddress } from "./CalendarAddressExamples.ts"

export const CalendarAddress = Schema.Struct({
  address: secretText("Where the calendar is. Whoever knows it reads the calendar. It is shown this once."),
  createdAt: Timestamp.annotateKey({ description: "When it was made" })
})
  .annotate({
    identifier: "CalendarAddress",
    description: "The secret address of the events that an account takes part in"
  })
  .pipe(withExample(calendarAddress))
export interface CalendarAddress extends Schema.Schema.Type<typeof CalendarAddress> {}

export class CalendarAddressUnknown extends Problem<CalendarAddressUnknown>()("CalendarAddressUnknown", {
  status: 404,
  title: "There is no calendar at this address",
  explanation:
    "The address was replaced, was never made, or its account is suspended or gone. Each request for an address that there is not costs the network more of its rate limit than others."
}) {}
