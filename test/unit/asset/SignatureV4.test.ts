/** The examples that Amazon publishes for its protocol. */
import { describe, expect, it } from "vitest"
import { emptyPayload, signed } from "../../../src/persistence/asset/SignatureV4.ts"

const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1"
}

const at = new Date("2013-05-24T00:00:00.000Z")

const host = "https://examplebucket.s3.amazonaws.com"

const signatureOf = (headers: Record<string, string>) => headers.authorization?.split("Signature=")[1]

describe("a signature", () => {
  it("of a part of an object is as published", () => {
    const headers = signed(
      {
        method: "GET",
        url: new URL(`${host}/test.txt`),
        headers: { range: "bytes=0-9" },
        payload: emptyPayload
      },
      credentials,
      at
    )
    expect(headers).toEqual({
      range: "bytes=0-9",
      "x-amz-date": "20130524T000000Z",
      "x-amz-content-sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      authorization:
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    })
  })

  it("of an object to store is as published", () => {
    const headers = signed(
      {
        method: "PUT",
        url: new URL(`${host}/test$file.text`),
        headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
        payload: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
      },
      credentials,
      at
    )
    expect(signatureOf(headers)).toBe("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
  })

  it("is another one for everything that it signs", () => {
    const request = { method: "GET", url: new URL(`${host}/a`), headers: {}, payload: emptyPayload }
    const all = [
      signed(request, credentials, at),
      signed({ ...request, method: "DELETE" }, credentials, at),
      signed({ ...request, url: new URL(`${host}/b`) }, credentials, at),
      signed({ ...request, url: new URL("https://other.test/a") }, credentials, at),
      signed({ ...request, headers: { range: "bytes=0-1" } }, credentials, at),
      signed({ ...request, payload: "x" }, credentials, at),
      signed(request, { ...credentials, region: "eu-central-1" }, at),
      signed(request, { ...credentials, secretAccessKey: "x" }, at),
      signed(request, credentials, new Date("2013-05-24T00:00:01.000Z"))
    ]
    expect(new Set(all.map(signatureOf)).size).toBe(all.length)
  })
})
