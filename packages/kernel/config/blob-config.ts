// Where blobs lie: a folder, or a bucket of an S3-compatible store.
import { z } from 'zod'

/** What S3 asks of a bucket's name. */
const bucketName = /^[a-z0-9](?:[a-z0-9.-]{1,61})[a-z0-9]$/
/** Characters that every store and every tool takes as they are. */
const prefixText = /^(?!\/)(?!.*\/\/)[A-Za-z0-9!_.*'()/-]{0,200}$/

const wholeNumber = (least: number, most: number) =>
  z
    .int()
    .min(least)
    .max(most)
    .meta({ expects: `a whole number from ${least} to ${most}` })

const credential = (expects: string) => z.string().min(1).max(1_000).meta({ expects, secret: true })

export const s3Config = z
  .strictObject({
    bucket: z.string().regex(bucketName).meta({ expects: "a bucket's name of 3 to 63 characters" }),
    /** Absent: Amazon's own, by the region. */
    endpoint: z
      .string()
      .refine(isEndpoint)
      .meta({ expects: 'an address like https://s3.example.com, without user and path' })
      .optional(),
    region: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,60}$/)
      .meta({ expects: 'a region like eu-central-1' })
      .default('us-east-1'),
    /** Several installations can share a bucket under different ones. */
    prefix: z.string().regex(prefixText).meta({ expects: 'a prefix of keys like atoll/' }).default(''),
    /** The bucket in the path of the address instead of in its host. Absent: in the path where there is an endpoint. */
    pathStyle: z.boolean().meta({ expects: 'true or false' }).optional(),
    /** Both absent: found as Amazon's own tools do (AWS_ variables, ~/.aws, the role of the machine). */
    accessKeyId: credential('the id of an access key').optional(),
    secretAccessKey: credential('the secret of the access key').optional(),
    /** Asked for with every write. Absent: whatever the bucket does by itself. */
    encryption: z.enum(['AES256', 'aws:kms']).meta({ expects: 'one of: AES256, aws:kms' }).optional(),
    kmsKeyId: z.string().min(1).max(2_048).meta({ expects: 'the id of a KMS key' }).optional(),
    /** Larger blobs are sent in parts of this size. */
    partMb: wholeNumber(5, 1_024).default(8),
    /** What writes may hold in memory together while it is on its way; those that need more wait. */
    memoryMb: wholeNumber(64, 65_536).default(512),
    /** A request that moves no byte for so long is given up, and tried again. */
    timeoutSeconds: wholeNumber(1, 600).default(30),
    attempts: wholeNumber(1, 10).default(4),
    /** Downloads of whole objects are sent to the store by a link of a few minutes: clients must reach its address. */
    redirects: z.boolean().meta({ expects: 'true or false' }).default(false),
  })
  .refine(({ accessKeyId, secretAccessKey }) => (accessKeyId === undefined) === (secretAccessKey === undefined), {
    path: ['secretAccessKey'],
    message: 'accessKeyId and secretAccessKey belong together; give both or neither',
  })
  .refine(({ encryption, kmsKeyId }) => kmsKeyId === undefined || encryption === 'aws:kms', {
    path: ['encryption'],
    message: 'kmsKeyId needs encryption: aws:kms',
  })

export type S3Config = z.output<typeof s3Config>

const place = {
  /** Absent: in the data folder. Several nodes on one PostgreSQL need one folder they all see, or a bucket. */
  folder: z.string().min(1).meta({ expects: 'the path of a folder', path: true }).optional(),
  s3: s3Config.optional(),
}

const isOne = ({ folder, s3 }: { folder?: unknown; s3?: unknown }) => folder === undefined || s3 === undefined
const onlyOne = { path: ['s3'], message: 'blobs lie in a folder or in a bucket: give folder or s3, not both' }

const blobPlace = z.strictObject(place).refine(isOne, onlyOne)

export type BlobPlace = z.output<typeof blobPlace>

export const blobConfig = z
  .strictObject({
    ...place,
    /** Where blobs still lie that are to be found, and moved by `./atoll blobs move`. Nothing is written there. */
    also: blobPlace.optional(),
  })
  .refine(isOne, onlyOne)

function isEndpoint(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false
  const { username, password, pathname, search, hash } = new URL(text)
  return username === '' && password === '' && pathname === '/' && search === '' && hash === ''
}
