/** The public half of a key whose private half nobody has. */
export const keySet = {
  keys: [
    {
      kty: "RSA",
      use: "sig",
      alg: "RS256",
      kid: "3387992b36cbecc7",
      n: "8nhAoEr5VeEIqiJGK4WoZsrjeGIAmvhrioWkCZcnESh8xhLSs25hLdnhWzvoWtVebMboiqOlGBzsjFG2s9Xpf7PH8j0ZvW3yuEoTs5K3mCHWhbMoP_aPs3H4AVQVqDQa_O5wnG1bWYOxEouEvyQ8_dERQidPE6QxlIOV750mHKGlzpX9ffnAN9yOadkbhyM21QCxSShxKA-5dtBGmQJIn1i9XgcdKyF5SGRMUriQ_GXPPcBC2L7-vqRdxrOvqjMgWUh41v9kmmHQbY8vNsvEG87kDPFY2I9G1grGAPD-Sa3QD_wKblm63kUQfxVxRSFwo5b2uTZYQv_D_J9dPn9tDw",
      e: "AQAB"
    }
  ]
} as const
