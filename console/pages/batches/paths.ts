export const batchesPath = '/v1/batches'
