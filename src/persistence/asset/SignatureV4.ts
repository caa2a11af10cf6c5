/** Signs requests to stores that speak the protocol of Amazon S3 (AWS Signature Version 4). */
import { createHash, createHmac } from "node:crypto"

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

export interface RequestToSign {
  readonly method: string
  readonly url: URL
  /** The headers, their names in lower case. All are signed. */
  readonly headers: Readonly<Record<string, string>>
  /** The SHA-256 of the body in hexadecimal, or `unsignedPayload`. */
  readonly payload: string
}

/** The payload of a request whose body is sent from a file, which would have to be read twice to be signed. */
export const unsignedPayload = "UNSIGNED-PAYLOAD"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

export const emptyPayload = sha256("")

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()

const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

const canonicalPath = ({ pathname }: URL) =>
  pathname
    .split("/")
    .map((segment) => encode(decodeURIComponent(segment)))
    .join("/")

/** The headers of a request, with its signature. The URL must have no query. */
export const signed = (
  { headers, method, payload, url }: RequestToSign,
  { accessKeyId, region, secretAccessKey }: Credentials,
  at: Date
): Record<string, string> => {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, "")
  const day = time.slice(0, 8)
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    "x-amz-content-sha256": payload,
    "x-amz-date": time
  }
  const names = Object.keys(all).sort()
  const signedNames = names.join(";")
  const lines = names.map((name) => `${name}:${all[name]?.trim()}\n`).join("")
  const request = [method, canonicalPath(url), "", lines, signedNames, payload].join("\n")

  const scope = `${day}/${region}/s3/aws4_request`
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(request)].join("\n")
  const signature = hmac(key, text).toString("hex")
  const { host: _, ...sent } = all
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signedNames}, Signature=${signature}`
  }
}
