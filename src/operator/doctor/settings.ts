/** Finds settings that can be used, but should be others. Pure. */
import type { Settings } from "../../layers/process/Settings.ts"
import { type Finding, ok, warn } from "./Finding.ts"

const isLoopback = ({ hostname }: URL) =>
  hostname === "localhost" || hostname.endsWith(".localhost") || /^(127\.|\[::1\])/.test(hostname)

type Asked = Pick<Settings["Service"], "publicUrl" | "webUrl" | "trustedProxies">

export const settingsFindings = ({ publicUrl, trustedProxies, webUrl }: Asked): ReadonlyArray<Finding> => {
  const isPublic = !isLoopback(publicUrl)
  const isPlain = [publicUrl, webUrl].some((url) => url.protocol === "http:" && !isLoopback(url))
  return [
    ok("settings", "All can be used"),
    isPlain
      ? warn(
          "addresses",
          "PUBLIC_URL or WEB_URL is http: passwords and sessions can be read on their way",
          "Put a proxy with TLS in front and set addresses with https."
        )
      : ok("addresses", publicUrl.origin),
    isPublic && trustedProxies.length === 0
      ? warn(
          "proxies",
          "No proxy is trusted: behind one, all clients would share one address and its limits",
          "Set TRUSTED_PROXIES to the addresses of the proxies, unless clients reach the service directly."
        )
      : ok("proxies", trustedProxies.length === 0 ? "None" : `${trustedProxies.length} trusted`)
  ]
}
