#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Merges the reports of the shards. Submit it with --dependency=afterok:JOB of the array, and the same --export.
#SBATCH --job-name=assay-merge
#SBATCH --requeue
#SBATCH --output=assay-merge-%j.log
set -eu
status=0
cd "$RESULTS"
"${ASSAY:-assay}" merge [0-9]* --report report || status=$?
case $status in
  0 | 1 | 3) echo "assay merge: status $status" ;;
  *) exit "$status" ;;
esac
