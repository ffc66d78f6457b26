// The settings that can also be given in the environment or on the command line. Nothing else is read from there,
// but OpenTelemetry's own variables, where traces are made, and Amazon's, where a bucket has no access key of its own.
export interface Setting {
  /** Where it lies in the configuration: `database.url`. */
  key: string
  variable: string
  /** The command line's spelling, without the dashes. */
  flag?: string
  /** Text to value. What it cannot read it leaves as text, for the schema to refuse. */
  read(text: string): unknown
}

const text = (value: string): unknown => value

const number = (value: string): unknown => (/^\d{1,15}$/.test(value) ? Number(value) : value)

const list = (value: string): unknown =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** `off`, `self-signed`, or `certificate.pem,key.pem`. */
function tls(value: string): unknown {
  const [certificate, key, ...more] = value.split(',').map((item) => item.trim())
  return key === undefined || more.length > 0 ? value : { certificate, key }
}

export const kernelSettings: readonly Setting[] = [
  { key: 'data', variable: 'ATOLL_DATA', flag: 'data', read: text },
  { key: 'port', variable: 'ATOLL_PORT', flag: 'port', read: number },
  { key: 'host', variable: 'ATOLL_HOST', flag: 'host', read: text },
  { key: 'services', variable: 'ATOLL_SERVICES', flag: 'only', read: list },
  { key: 'tls', variable: 'ATOLL_TLS', flag: 'tls', read: tls },
  { key: 'database.url', variable: 'ATOLL_DATABASE_URL', flag: 'database', read: text },
  { key: 'blobs.s3.bucket', variable: 'ATOLL_S3_BUCKET', read: text },
  { key: 'blobs.s3.endpoint', variable: 'ATOLL_S3_ENDPOINT', read: text },
  { key: 'blobs.s3.region', variable: 'ATOLL_S3_REGION', read: text },
  { key: 'blobs.s3.prefix', variable: 'ATOLL_S3_PREFIX', read: text },
  { key: 'blobs.s3.accessKeyId', variable: 'ATOLL_S3_ACCESS_KEY_ID', read: text },
  { key: 'blobs.s3.secretAccessKey', variable: 'ATOLL_S3_SECRET_ACCESS_KEY', read: text },
  { key: 'cors.origins', variable: 'ATOLL_CORS_ORIGINS', read: list },
  { key: 'log.level', variable: 'ATOLL_LOG_LEVEL', read: text },
  { key: 'adopt.apiKey', variable: 'ATOLL_API_KEY', read: text },
  { key: 'adopt.adminKey', variable: 'ATOLL_ADMIN_KEY', read: text },
  { key: 'adopt.hooksToken', variable: 'ATOLL_HOOKS_TOKEN', read: text },
  { key: 'adopt.clusterAdmin', variable: 'ATOLL_CLUSTER_ADMIN', read: text },
]

/** Names the configuration file; it is no setting itself. */
export const configFileVariable = 'ATOLL_CONFIG'

/** Variables that begin so belong to the test suite. */
export const testVariablePrefix = 'ATOLL_TEST_'

/** Who uses a server, and where it is: set for commands, and of no meaning to the server that is started beside them. */
export const clientVariables: readonly string[] = [
  'ATOLL_URL',
  'ATOLL_CLUSTER_URL',
  'ATOLL_CLUSTER_USER',
  'ATOLL_HOOKS_URL',
  'ATOLL_HOOKS_ADMIN_TOKEN',
  'ATOLL_BACKUP_PASSPHRASE',
]
