// Where models come from, as a setting.
import { z } from 'zod'

/** The model hub, or a mirror that speaks its protocol. */
export const ModelHub = z
  .string()
  .refine((text) => /^https?:\/\/[^?#]+$/.test(text) && URL.canParse(text))
  .meta({ expects: 'the address of a model hub, like https://hub.example.com' })
  .default('https://huggingface.co')
