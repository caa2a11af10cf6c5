import { constants } from "node:zlib"

/** How archives are compressed. */
export const compression = {
  chunkSize: 128 * 1024,
  params: {
    [constants.ZSTD_c_compressionLevel]: 3,
    [constants.ZSTD_c_checksumFlag]: 1
  }
}
