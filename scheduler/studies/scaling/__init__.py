"""Scale-up study: throughput over the number of vCPUs of the guest."""
