// Reads Kubernetes manifests as a cluster does, which takes no field that it does not know.
package main

import (
	"bytes"
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

func kindOf(name string) any {
	switch name {
	case "v1/Namespace":
		return &corev1.Namespace{}
	case "v1/ConfigMap":
		return &corev1.ConfigMap{}
	case "v1/Secret":
		return &corev1.Secret{}
	case "v1/Service":
		return &corev1.Service{}
	case "v1/PersistentVolumeClaim":
		return &corev1.PersistentVolumeClaim{}
	case "apps/v1/Deployment":
		return &appsv1.Deployment{}
	case "batch/v1/CronJob":
		return &batchv1.CronJob{}
	case "networking.k8s.io/v1/Ingress":
		return &networkingv1.Ingress{}
	case "policy/v1/PodDisruptionBudget":
		return &policyv1.PodDisruptionBudget{}
	}
	return nil
}

func read(part []byte) error {
	var head struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal(part, &head); err != nil {
		return err
	}
	name := head.APIVersion + "/" + head.Kind
	found := kindOf(name)
	if found == nil {
		return fmt.Errorf("%s is no kind that is read here", name)
	}
	return yaml.UnmarshalStrict(part, found)
}

func main() {
	for _, file := range os.Args[1:] {
		text, err := os.ReadFile(file)
		for _, part := range bytes.Split(text, []byte("\n---\n")) {
			if err == nil {
				err = read(part)
			}
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", file, err)
			os.Exit(1)
		}
	}
	fmt.Printf("%d manifests are as Kubernetes reads them\n", len(os.Args)-1)
}
