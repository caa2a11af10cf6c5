/** Where things are on the web: pages of the frontend for people, and files of the service. Pure. */
import { addressOf, type Deployment } from "../settings/Deployment.ts"

type Addresses = Pick<Deployment["Service"], "publicUrl" | "webUrl">

// A slug may have letters of any script, which addresses have percent-encoded.
const segment = encodeURIComponent

export const webPages = ({ publicUrl, webUrl }: Addresses) => {
  const web = addressOf(webUrl)
  const service = addressOf(publicUrl)
  const thread = (mark: string) => `${web}/t/${segment(mark)}`
  return {
    home: web,
    thread,
    /** A reply stands on the page of its thread, under its id. */
    reply: (threadMark: string, id: string) => `${thread(threadMark)}#${id}`,
    node: (mark: string) => `${web}/l/${segment(mark)}`,
    library: `${web}/l`,
    profile: (handle: string) => `${web}/m/${segment(handle)}`,
    category: (slug: string) => `${web}/d/${segment(slug)}`,
    tag: (name: string) => `${web}/tags/${segment(name)}`,
    event: (mark: string) => `${web}/events/${segment(mark)}`,
    avatar: (handle: string) => `${service}/api/accounts/${segment(handle)}/avatar`,
    /** What is below the address of the service, such as the bytes of a file. */
    file: (path: string) => service + path
  } as const
}

export type WebPages = ReturnType<typeof webPages>

/**
 * Makes the names of things in feeds and calendars. They have the host of the service, as ids are unique there only; a
 * host has no port and no brackets in such a name (RFC 4151).
 */
export const namesAt = ({ publicUrl }: Addresses) => {
  const host = publicUrl.hostname.replace(/[[\]]/g, "").replaceAll(":", "-")
  return {
    tag: (specific: string) => `tag:${host},2026:${specific}`,
    /** A name of the form that calendars have (RFC 7986, 5.3). */
    uid: (id: string) => `${id}@${host}`
  } as const
}
