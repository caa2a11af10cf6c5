/** A store of objects that speaks as much of the protocol of Amazon S3 as the service does, and records it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { Effect, Redacted } from "effect"
import type { Bucket } from "../../src/persistence/asset/AssetFiles.ts"
import { signed } from "../../src/persistence/asset/SignatureV4.ts"

const secret = "a secret of the bucket"
const region = "eu-test-1"
const accessKeyId = "KEY"

export interface FakeBucket {
  readonly settings: Bucket
  readonly objects: Map<string, Buffer>
  /** Method, path and range of every request. */
  readonly requests: Array<string>
  /** How to answer instead of as usual. */
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
}

/** Signs the request again, with the secret that the client should have. */
const isSigned = (request: IncomingMessage) => {
  const { authorization, host = "", range } = request.headers
  const date = String(request.headers["x-amz-date"])
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z")
  const expected = signed(
    {
      method: request.method ?? "",
      url: new URL(`http://${host}${request.url}`),
      headers: range === undefined ? {} : { range },
      payload: String(request.headers["x-amz-content-sha256"])
    },
    { accessKeyId, region, secretAccessKey: secret },
    new Date(iso)
  )
  return authorization === expected.authorization
}

const sendObject = (object: Buffer | undefined, { headers }: IncomingMessage, response: ServerResponse) => {
  if (object === undefined) return response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>")
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? []
  if (first === undefined) return response.writeHead(200, { "content-length": object.length }).end(object)
  const part = object.subarray(Number(first), Number(last) + 1)
  response.writeHead(206, {
    "content-length": part.length,
    "content-range": `bytes ${first}-${last}/${object.length}`
  })
  return response.end(part)
}

/** Runs on any free port until the scope closes. */
export const fakeBucket = Effect.gen(function* () {
  const objects = new Map<string, Buffer>()
  const requests: Array<string> = []
  const fake: { current: FakeBucket | undefined } = { current: undefined }
  const server = createServer(async (request, response) => {
    const path = request.url ?? ""
    requests.push([request.method, path, request.headers.range ?? ""].join(" ").trim())
    if (fake.current?.answer?.(request, response) === true) return
    if (!isSigned(request))
      return response.writeHead(403).end("<Error><Code>SignatureDoesNotMatch</Code></Error>")
    if (request.method === "PUT") {
      // Stores refuse bodies without a length.
      if (request.headers["content-length"] === undefined) return response.writeHead(411).end()
      objects.set(path, await buffer(request))
      return response.writeHead(200).end()
    }
    if (request.method === "DELETE") {
      objects.delete(path)
      return response.writeHead(204).end()
    }
    return sendObject(objects.get(path), request, response)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(async () => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as AddressInfo
  const settings: Bucket = {
    endpoint: new URL(`http://127.0.0.1:${port}/store`),
    bucket: "files",
    region,
    accessKeyId,
    secretAccessKey: Redacted.make(secret)
  }
  fake.current = { settings, objects, requests, answer: undefined }
  return fake.current
})
