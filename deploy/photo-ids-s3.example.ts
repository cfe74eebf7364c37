import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { PhotoIdStorage } from "../lib/contract/providers.ts";

// Photo IDs in a bucket of S3, or of a compatible server at PHOTO_IDS_ENDPOINT, through the official client: copy this beside
// your PROVIDERS module, run `npm install @aws-sdk/client-s3` there, and add `photoIds` to the module's default export. The
// client reads AWS_REGION, AWS_ACCESS_KEY_ID and the like on its own. Allow it to get, put, delete and list: without the
// list permission, S3 answers 403 for a missing object.

const { PHOTO_IDS_BUCKET: Bucket = "photo-ids", PHOTO_IDS_ENDPOINT: endpoint } = process.env;

// Servers other than S3 have one address for all buckets, and may not support newer checksums.
const client = new S3Client(
  endpoint ? { endpoint, forcePathStyle: true, requestChecksumCalculation: "WHEN_REQUIRED" } : {},
);

export const photoIds: PhotoIdStorage = {
  put: async ({ id: Key, content: Body }, { signal: abortSignal }) => {
    await client.send(new PutObjectCommand({ Bucket, Key, Body }), { abortSignal });
  },
  get: async ({ id: Key }, { signal: abortSignal }) => {
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), { abortSignal });
      return await Body?.transformToByteArray();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  },
  delete: async ({ id: Key }, { signal: abortSignal }) => {
    await client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal });
  },
};
