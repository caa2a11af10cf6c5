/** The problems as clients know them. A change here is a change of the API. */
import { assert, describe, it } from "@effect/vitest"
import { ForumApi } from "../../src/http/Api.ts"
import { catalogueOf } from "../../src/http/shared/ProblemCatalogue.ts"

/** Name, status and title of every problem, by name. The type is `/api/problems/` and the name. */
const published: ReadonlyArray<readonly [name: string, status: number, title: string]> = [
  ["account-not-found", 404, "There is no such account"],
  ["account-suspended", 403, "This account is suspended"],
  ["administrator-hidden", 403, "Only administrators see an administrator's account"],
  ["administrator-protected", 403, "Only administrators may do this to an administrator"],
  ["asset-bytes-unavailable", 503, "The service cannot read or write files right now"],
  ["asset-not-found", 404, "There is no such file"],
  ["asset-unknown", 400, "The asset does not exist"],
  ["audit-event-not-found", 404, "There is no such entry in the audit log"],
  ["authentication-busy", 503, "Too many people are signing in or up right now"],
  ["author-unknown", 404, "There is no such author"],
  ["body-too-long", 400, "The text is too long"],
  ["capacity-exceeded", 503, "The service has no room for this request right now"],
  ["capacity-too-low", 409, "More accounts attend than the event would have capacity for"],
  ["categories-full", 409, "There are as many categories as there may be"],
  ["category-cover-unknown", 400, "The cover image does not exist"],
  ["category-move-to-self", 400, "The threads cannot move to the category that is deleted"],
  ["category-not-found", 404, "There is no such category"],
  ["category-parent-not-found", 404, "There is no such parent category"],
  ["category-placement-invalid", 400, "The category cannot be put there"],
  ["category-slug-empty", 400, "No slug can be made from this name; give one"],
  ["category-taken", 409, "Another category has this name or slug"],
  ["category-too-deep", 400, "Categories cannot contain each other as deep as this"],
  ["category-unknown", 400, "The category does not exist"],
  ["collection-full", 409, "This collection has no room for another item"],
  ["collection-not-found", 404, "There is no such collection"],
  ["collection-not-yours", 403, "Only its owner and staff may change this collection"],
  ["content-blocked", 400, "Content violates community guidelines"],
  ["content-encoding-unsupported", 415, "Compressed request bodies are not supported"],
  ["cookie-required", 403, "This works with a browser session only"],
  ["cross-site-request", 403, "Requests from this site are not allowed"],
  ["deadline-exceeded", 503, "The request took too long and was cancelled"],
  ["emoji-invalid", 400, "This is not an emoji"],
  ["event-full", 409, "All places of this event are taken"],
  ["event-not-found", 404, "There is no such event"],
  ["event-slug-taken", 409, "Another event has this slug"],
  ["expectation-failed", 417, "The service cannot do what the request expects"],
  ["forbidden", 403, "Your roles do not allow this"],
  ["handle-invalid", 400, "This handle cannot be used"],
  ["handle-taken", 409, "Another account has this handle"],
  ["handle-unknown", 404, "No account has this handle"],
  ["headers-too-large", 431, "The headers of the request are too large"],
  ["internal-error", 500, "The service failed unexpectedly"],
  ["invalid-request", 400, "The request is not valid"],
  ["invitation-not-found", 404, "There is no such invitation"],
  ["invitation-not-yours", 403, "Only its creator and administrators may delete this invitation"],
  ["last-host", 409, "An event needs a host"],
  ["link-invalid", 400, "This is not a web address"],
  ["link-not-found", 404, "There is no such link"],
  ["markup-too-complex", 400, "The markup of the text is too complex"],
  ["markup-too-long", 400, "The text has too much markup"],
  ["message-period-invalid", 400, "The message of the day ends before it starts"],
  ["method-not-allowed", 405, "This address does not support this method"],
  ["method-unknown", 501, "The service does not know this method"],
  ["moderation-note-not-found", 404, "There is no such note on this account"],
  ["not-found", 404, "There is nothing at this address"],
  ["not-host", 403, "Only its hosts may change this event"],
  ["not-yours", 403, "Only its author and moderators may change this"],
  ["notification-not-found", 404, "There is no such notification"],
  ["participant-not-found", 404, "This account does not take part in the event"],
  ["participation-refused", 403, "You may not take part in this event like that"],
  ["password-already-set", 400, "This account already has a password"],
  ["password-not-set", 400, "This account has no password"],
  ["password-wrong", 401, "The password is wrong"],
  ["payload-too-large", 413, "The request body is too large"],
  ["post-not-found", 404, "There is no such post"],
  ["problem-unknown", 404, "There is no such problem"],
  ["profile-text-too-long", 400, "The text of the profile has too much markup"],
  ["range-not-satisfiable", 416, "The file has no such part"],
  ["reaction-not-yours", 403, "Another account added this reaction"],
  ["registration-closed", 403, "Signing up is not possible, or not with this invitation"],
  ["reply-target-unknown", 400, "The post to reply to is not in this thread"],
  ["request-too-slow", 408, "The request did not arrive in time"],
  ["role-not-found", 404, "There is no such role"],
  ["sanitiser-unavailable", 503, "Long texts cannot be read right now"],
  ["search-took-too-long", 503, "The search took too long and was cancelled"],
  ["self-follow", 400, "An account cannot follow itself"],
  ["service-busy", 503, "The service has too much to do"],
  ["settings-too-large", 400, "The settings are too large"],
  ["shutting-down", 503, "The service is starting or shutting down"],
  ["sign-in-suspended", 403, "This account is suspended and cannot sign in"],
  ["signature-too-long", 400, "The signature is too long"],
  ["storage-unavailable", 503, "The service cannot reach its database right now"],
  ["suspension-of-self", 400, "Nobody can suspend their own account"],
  ["tag-not-found", 404, "There is no such tag"],
  ["thread-hidden", 403, "This thread is not published"],
  ["thread-is-reply", 400, "This is a reply, not a thread"],
  ["thread-not-found", 404, "There is no such thread"],
  ["too-many-attempts", 429, "Too many wrong passwords; try again later"],
  ["too-many-collections", 409, "This account has too many collections"],
  ["too-many-invitations", 409, "This account has too many invitations"],
  ["too-many-links", 400, "The text has too many links"],
  ["too-many-mentions", 400, "The text mentions too many accounts"],
  ["too-many-notes", 409, "This account has too many notes"],
  ["too-many-participants", 409, "The event has too many participants"],
  ["too-many-reactions", 409, "The post has too many reactions for another one"],
  ["too-many-submissions", 409, "Too many submissions await the owner of this collection"],
  ["too-many-thumbnails", 503, "Too many small images are being made"],
  ["too-many-writers", 503, "Too many requests change the same right now"],
  ["unauthenticated", 401, "Sign in to do this"],
  ["unreadable-request", 400, "The request is not valid HTTP"],
  ["unsupported-media-type", 415, "The operation does not take this kind of body"]
]

const catalogue = catalogueOf(ForumApi)

describe("the problems", () => {
  it("are those that were published, word for word", () => {
    assert.deepStrictEqual(
      catalogue.map(({ name, status, title }) => [name, status, title]),
      published.map((row) => [...row])
    )
  })

  it("have a type that ends in their name, and a title that reads as a sentence", () => {
    for (const { name, title, type } of catalogue) {
      assert.strictEqual(type, `/api/problems/${name}`)
      assert.match(title, /^[A-Z].* .*[^.]$/, name)
    }
  })
})
