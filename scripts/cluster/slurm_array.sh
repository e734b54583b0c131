#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs run_shard as a Slurm array, a shard for each task. Submit it with
#   sbatch --array=0-7 --export=ALL,CLUSTER=$PWD/scripts/cluster,RESULTS=$PWD/results,BACKEND=mlir slurm_array.sh
#SBATCH --job-name=assay
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=assay-%A-%a.log
set -eu
export SHARD="$SLURM_ARRAY_TASK_ID" SHARDS="$SLURM_ARRAY_TASK_COUNT" JOBS="${SLURM_CPUS_PER_TASK:-1}"
exec "$CLUSTER/run_shard"
