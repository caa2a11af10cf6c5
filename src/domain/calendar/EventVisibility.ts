/** Who may see a calendar event, and what the description of the API says of it. */
import { audienceText, type Visibility } from "../shared/Visibility.ts"

/** Everyone, guests included; those who take part, whatever their status; hosts; holders of MANAGE_EVENTS. */
export type Audience = "everyone" | "participants" | "hosts" | "staff"

/** Who sees an event, by its visibility. */
export const audience: { readonly [V in Visibility]: ReadonlyArray<Audience> } = {
  draft: ["hosts", "staff"],
  unlisted: ["participants", "hosts", "staff"],
  review: ["hosts", "staff"],
  published: ["everyone"]
}

export const eventAudience = `Who may see it: ${audienceText(audience, {
  everyone: "everyone",
  participants: "its participants",
  hosts: "its hosts",
  staff: "holders of MANAGE_EVENTS"
})}.`
