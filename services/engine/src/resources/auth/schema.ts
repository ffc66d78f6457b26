import { z } from 'zod'

const word = z.string().max(32_768).optional()

/** Credentials to try. ENG-718 */
export const AuthConfig = z.object({
  username: word,
  password: word,
  email: word,
  serveraddress: word,
  identitytoken: word,
  registrytoken: word,
})

export const AuthAnswer = z.object({
  Status: z.string(),
  /** Empty where the registry gives none. */
  IdentityToken: z.string(),
})
